"""Office files and books: Word, Excel, PowerPoint, OpenDocument and EPUB, as pages."""
