"""ViDE: data records by their visual features."""
