"""Two checkouts of fairdeal run over everything that is shipped, and what they give held together byte for byte.

Of a checkout only its program (`.venv/bin/fairdeal`) and the paths of what it ships are used, so that checkouts whose
modules lie elsewhere can be compared.
"""
