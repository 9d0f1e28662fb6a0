"""Read texts: replies of models, sentences, names; no dataset is known here."""
