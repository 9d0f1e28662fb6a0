"""Write questions, and the paragraphs that answer them, by templates or by a model."""
