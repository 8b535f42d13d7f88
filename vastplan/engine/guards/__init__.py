"""What stops an action, judged from live evidence: one function per guard, by what they are about."""
