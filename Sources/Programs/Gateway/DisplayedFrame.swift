import Base

/// A frame that a display has acknowledged on its bus. A prompt (a question to the user) may be answered only while the
/// display shows its text.
struct DisplayedFrame: Hashable {
  /// The maximum age of a frame that counts as visible. Without a newer frame, the display may be unplugged, or its
  /// program may hang.
  static let lifetime = Duration.seconds(1)

  /// The instant at which the transmission of the frame began.
  var shown: MonotonicInstant
  /// The identifier of the prompt (the question to the person at the button) whose whole text the display has shown;
  /// nil if there is none.
  var prompt: Int?

  /// Returns whether the frame is younger than its lifetime. A frame from the future is not fresh.
  func isFresh(at now: MonotonicInstant) -> Bool { shown <= now && now - shown < Self.lifetime }
}
