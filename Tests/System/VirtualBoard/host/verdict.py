"""How a run of the virtual board can end other than well."""


class Impossible(Exception):
    """This machine cannot run the virtual board, through no fault of the project."""


class Broken(Exception):
    """The virtual board itself does not work as it should: that is a fault, not a reason to skip."""
