"""The errors that end a run of the virtual board."""


class Impossible(Exception):
    """This machine cannot run the virtual board, although the project has no fault."""


class Broken(Exception):
    """The virtual board itself does not work. This is a failure and not a reason to skip."""
