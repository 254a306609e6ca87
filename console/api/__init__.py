"""What programs reach over HTTP with an agent token: JSON only, no cookies, no pages."""
