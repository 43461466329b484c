import LineProtocol

extension Disclosures {
  /// The result of an attempt to send a fix for a request.
  enum Consequence {
    /// The fix was sent to the app of the request.
    case served
    /// The fix waits for the output of the request. The value is the number of the fix in the outbox.
    case stored(Int64)
    /// No fix was sent, and the request ends with this error.
    case failed(LineError)
    /// The updates (repeated fixes) must stop, because no person can see the LED. The value is the code of the reason.
    case illegible(String)
  }
}
