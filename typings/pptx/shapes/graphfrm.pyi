from pptx.chart.chart import Chart
from pptx.table import Table

from .base import BaseShape

class GraphicFrame(BaseShape):
    table: Table
    chart: Chart
