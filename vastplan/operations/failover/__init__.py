"""Failing over without a person: what several watchers see of a site, and when that is enough to give it up."""
