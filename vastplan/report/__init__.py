"""Reports: plan values in, text out. They import nothing but the model, and print nothing."""
