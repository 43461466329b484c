import Base

/// An event on the timeline of a privacy report. Events of the same kind can be combined into one value, because a log
/// can have a million entries.
protocol TimelineEvent {
  associatedtype Kind: Hashable

  /// The kind of the event. Only events of the same kind can be combined.
  var kind: Kind { get }
  /// The time of the event, or of the first combined event.
  var time: UTCTime { get }

  /// Combines this value with a later value of the same kind.
  mutating func combine(with later: Self)
}

/// The maximum count of an app's events on the timeline; more events are combined. The timeline has space for only 131
/// dots of one accuracy.
private let mostEvents = 1000

extension Array where Element: TimelineEvent {
  /// Adds an event. If there are too many events, neighbouring events of the same kind are combined.
  mutating func add(_ event: Element) {
    append(event)
    if count >= 2 * mostEvents { combine() }
  }

  private mutating func combine() {
    sort { $0.time < $1.time }
    guard let first = first?.time, let last = last?.time else { return }
    // The difference of two times can exceed the range of Int64.
    var width = (last.seconds - first.seconds) / Double(mostEvents)
    while count > mostEvents {
      var combined: [Element] = []
      var latest: [Element.Kind: Int] = [:]
      for event in self {
        if let index = latest[event.kind], event.time.seconds - combined[index].time.seconds <= width {
          combined[index].combine(with: event)
        } else {
          latest[event.kind] = combined.count
          combined.append(event)
        }
      }
      self = combined
      // If all events are of different kinds, more cannot be combined.
      if width > last.seconds - first.seconds { return }
      width = Swift.max(width * 2, 1)
    }
  }
}

extension UTCTime {
  fileprivate var seconds: Double { Double(nanosecondsSince1970) / 1e9 }
}
