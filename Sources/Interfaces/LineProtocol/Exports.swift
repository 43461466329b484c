// The public functions of this library have `TextBuffer` in their signatures.
@_exported public import Encoding
