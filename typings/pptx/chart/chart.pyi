class ChartPart:
    blob: bytes

class Chart:
    part: ChartPart
