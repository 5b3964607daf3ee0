"""The stages that a recipe may list, a file each: what each needs of a session, and how it is gone through."""
