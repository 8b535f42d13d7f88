"""Operations that change roles: stages with gates, a record of every call, and a runner that can be killed at any moment."""
