"""AdEater: advertisements among the linked images of a page."""
