"""Rules as typed models, and what is in force on a day."""
