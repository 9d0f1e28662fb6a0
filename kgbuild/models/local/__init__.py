"""Models on this machine: their libraries are imported when one is loaded.

All functions raise a KgbuildError if the libraries, an extra, are not installed, and a NoModelError
(of spaCy, a WrongCallError) if the model is not on this machine, cannot be used, or is of another
kind.
"""
