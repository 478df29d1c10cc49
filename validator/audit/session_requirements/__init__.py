"""Requirements that span rounds, judged over the sessions of tables."""
