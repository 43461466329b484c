// The modules of the types in this library's interface, so that an app imports only OneFixClient.
@_exported public import Clocks
@_exported public import GNSS
@_exported public import LineProtocol
