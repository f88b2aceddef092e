"""How often tests reject, how well effects are estimated, and what that depends on."""
