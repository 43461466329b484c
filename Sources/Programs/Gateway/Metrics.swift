import Base
import LineProtocol
import OperatingSystem

/// The counters and histograms of the gateway since its start.
struct Metrics {
  enum Event: Hashable {
    /// One more occurrence of the counted event. The values are the labels of the counter: an app, and a text such
    /// as a reason. A value is nil if the counter has no such label.
    case count(Counter, AppID?, String?)
    /// A fix was sent. The value is the time since the release of the button.
    case pressToFix(Duration)
    case receiverOpened
    case receiverLost
    /// The GNSS receiver has a fix. The first such event after `receiverOpened` gives the time to the first fix.
    case firstFix
  }

  enum Counter: String, CaseIterable {
    case droppedNotifications = "onefix_dropped_notifications"
    case presses = "onefix_presses"
    case holds = "onefix_holds"
    case pressRefusals = "onefix_press_refusals"
    case prompts = "onefix_prompts"
    case grants = "onefix_grants"
    case refusals = "onefix_refusals"
    case disclosures = "onefix_disclosures"
    case updates = "onefix_update_fixes"
    case regionEvents = "onefix_region_events"
    case withheld = "onefix_withheld"
    case receiverLosses = "onefix_receiver_losses"
    case expiredPublications = "onefix_broker_expired_fixes"

    /// The help text of the counter, and the names of its labels.
    fileprivate var description: (help: String, labels: [String]) {
      switch self {
      case .droppedNotifications: ("Notifications that newer ones replaced before an owner connected.", [])
      case .presses: ("Presses of a button, by outcome.", ["outcome"])
      case .holds: ("Holds of a button.", [])
      case .pressRefusals: ("Presses that served no app, by reason.", ["reason"])
      case .prompts: ("Prompts that were shown, by kind.", ["kind"])
      case .grants: ("One-time fixes that were granted, by right.", ["right"])
      case .refusals: ("Requests that ended without a fix, by reason.", ["app", "reason"])
      case .disclosures: ("One-time fixes that were disclosed.", ["app", "accuracy"])
      case .updates: ("Fixes of updates that were disclosed.", ["accuracy"])
      case .regionEvents: ("Events of regions that were reported to apps.", [])
      case .withheld: ("Granted fixes that were not disclosed, by reason.", ["reason"])
      case .receiverLosses: ("How often the receiver's port was lost.", [])
      case .expiredPublications: ("Fixes that expired before a broker received them.", ["app"])
      }
    }

    /// The combinations of label values for which the counter begins at 0. Other combinations appear with their first
    /// event.
    fileprivate var initialValues: [[String]] {
      switch self {
      case .presses: PressOutcome.allCases.map { [$0.rawValue] }
      case .updates: FixAccuracy.allCases.map { [$0.rawValue] }
      default: description.labels.isEmpty ? [[]] : []
      }
    }
  }

  /// The apps that have their own name in the metrics. All other apps share one name, which limits the count of time
  /// series.
  var labelledApps: Set<AppID>
  /// The value of each counter for each combination of label values.
  private var counts = Dictionary(
    uniqueKeysWithValues: Counter.allCases.map { counter in
      (counter, Dictionary(uniqueKeysWithValues: counter.initialValues.map { ($0, 0) }))
    })
  private var pressToFix = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60])
  private var timeToFirstFix = Histogram(bounds: [1, 2, 5, 10, 20, 30, 45, 60, 120, 300, 900])
  /// The instant at which the port of the GNSS receiver was opened; nil after the first fix, and while the port is
  /// closed.
  private var receiverOpened: MonotonicInstant?

  init(labelledApps: Set<AppID>) { self.labelledApps = labelledApps }

  /// Adds an event to the counters or histograms.
  /// - Parameter times: The count of occurrences of the event.
  mutating func note(_ event: Event, times: Int = 1, at now: MonotonicInstant) {
    switch event {
    case .count(let counter, let app, let label):
      let values = [app.map(label(of:)), label].compactMap(\.self)
      counts[counter]?[values, default: 0] += times
    case .pressToFix(let duration): pressToFix.observe(duration)
    case .receiverOpened: receiverOpened = now
    case .receiverLost: receiverOpened = nil
    case .firstFix:
      if let receiverOpened { timeToFirstFix.observe(now - receiverOpened) }
      receiverOpened = nil
    }
  }

  /// Returns the label of an app: its name, or `(other)` for an app that is not configured.
  func label(of app: AppID) -> String { labelledApps.contains(app) ? app.name : "(other)" }

  var families: [MetricFamily] {
    Counter.allCases.map { counter in
      let (help, labels) = counter.description
      let sorted = (counts[counter] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }
      return sorted.reduce(.counter(counter.rawValue, help)) { $0.with($1.value, Array(zip(labels, $1.key))) }
    } + [
      .histogram(
        "onefix_press_to_fix_seconds", unit: "seconds", "From a press to the moment at which its fix is sent.",
        pressToFix),
      .histogram(
        "onefix_receiver_time_to_first_fix_seconds", unit: "seconds",
        "From the opening of the receiver's port to the first fix.", timeToFirstFix),
    ]
  }
}
