"""What declared capacity costs. Pure: a manifest and a catalog in, figures out."""
