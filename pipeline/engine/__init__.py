"""The engine: recipe, graph, plan, execution, workers and progress."""
