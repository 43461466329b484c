// The module is exported, because public functions of this library have its type `TextBuffer` in their signatures.
@_exported public import Base
