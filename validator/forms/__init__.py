"""Forms of submissions: what a licensee may state, under which clauses, and automatic correction."""
