"""The pages of docs/, on a code host and as a site: `make docs`."""
