"""Local server of pages in the browser: audits, findings, submissions and the rulebook."""
