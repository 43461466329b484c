// The library's interface uses types of these modules. Because of the exports, an app needs to import only
// OneFixClient.
@_exported public import Base
@_exported public import GNSS
@_exported public import LineProtocol
