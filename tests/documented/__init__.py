"""Every request that vastplan sends while the tests run, held against the vendors' documents."""
