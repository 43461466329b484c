// What stands in this library's own types: an app needs no import but OneFixClient.
@_exported public import Clocks
@_exported public import GNSS
@_exported public import LineProtocol
