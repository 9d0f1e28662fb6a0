"""What the tasks of a release run in lm-evaluation-harness: copied into it as ``utils.py``."""
