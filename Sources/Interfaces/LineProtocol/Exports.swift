// Clients of this library need the module `Encoding`, because public functions of the library have its type
// `TextBuffer` in their signatures.
@_exported public import Encoding
