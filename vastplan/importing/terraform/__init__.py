"""What a Terraform state says about objects, which live objects they are, and how to remove them from Terraform."""
