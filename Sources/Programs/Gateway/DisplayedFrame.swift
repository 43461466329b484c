import Base

/// A frame that the display acknowledged on its bus. See "Displays" in the authorization reference.
struct DisplayedFrame: Hashable {
  /// The time for which a frame counts. A display that is unplugged, or a process that hangs, then shows no text any
  /// more.
  static let lifetime = Duration.seconds(1)

  /// The instant at which the transmission of the frame began.
  var shown: MonotonicInstant
  /// The number of the prompt that the frame shows, if the display has shown the whole text of this prompt.
  var prompt: Int?

  /// Returns whether the frame is younger than its lifetime. A frame of the future is a fault of the client.
  func isFresh(at now: MonotonicInstant) -> Bool { shown <= now && now - shown < Self.lifetime }
}
