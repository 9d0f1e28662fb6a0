"""English as answers and questions need it: dates, articles, and which aliases are names."""
