"""What conditions on a submission mean."""
