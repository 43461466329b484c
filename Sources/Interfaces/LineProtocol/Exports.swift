// Public functions of this library have the type `TextBuffer` of the module `Encoding` in their signatures.
@_exported public import Encoding
