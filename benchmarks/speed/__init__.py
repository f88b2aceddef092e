"""How long tests take and how much memory they need."""
