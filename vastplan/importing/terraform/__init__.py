"""What a Terraform state says of objects, which live ones they are, and how Terraform lets go of them."""
