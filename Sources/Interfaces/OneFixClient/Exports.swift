// This library's interface uses types of the modules below. The library exports these modules, so that an app needs to
// import only OneFixClient.
@_exported public import Clocks
@_exported public import GNSS
@_exported public import LineProtocol
