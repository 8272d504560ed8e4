"""What runs in a program's own interpreter to see what it declares, with no engine behind it.

Standard library and the program's own Pulumi SDK: its virtual environment need not have Tidegate
in it. `start.py` is run by path and loads the rest as a package of another name.
"""
