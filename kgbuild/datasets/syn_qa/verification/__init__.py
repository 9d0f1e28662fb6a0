"""Verify the assumptions of Syn-(QA)² by a second source: see docs/verify.md."""
