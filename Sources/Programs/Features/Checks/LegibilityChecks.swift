import Base
import Configuration
import Hardware

extension Subject {
  /// The errors about an indicator LED that is hard to see, and about a button's label that is hard to read. With such
  /// an error, a press of the button gives no fix. A missing sense input (which detects a broken LED) gives only a
  /// note.
  var legibilityFindings: [Finding] {
    var found: [Finding] = []
    if let indicator = board.indicator {
      found += indicator.restrictions.map { restriction in
        let keys = indicator.keys(of: restriction).map { ConfigurationKey.indicator(key: $0) }
        return finding(restriction, at: keys, "the indicator \(restriction.fault)")
      }
      if !board.isSimulated, board.wiring.sense == nil {
        found.append(
          Finding(.indicatorUnsensed, at: board.location(of: .sense)))
      }
    } else {
      found.append(finding(.indicatorMissing, at: [.indicator()], "the board has no indicator"))
    }
    for button in board.buttons { found += labelFindings(of: button) }
    return found
  }

  private func labelFindings(of button: ButtonProfile) -> [Finding] {
    button.restrictions.flatMap { restriction -> [Finding] in
      guard restriction == .labelTruncated else {
        let key = ConfigurationKey.button(button.name, key: "label_height_mm")
        return [finding(restriction, at: [key], "button '\(button.name)' \(restriction.fault)")]
      }
      return button.labels.compactMap { label in
        label.excess.map { excess in
          finding(
            restriction, at: label.keys.map { .button(button.name, key: $0) },
            "button '\(button.name)': \(label.title) is \(Millimetres(atLeast: excess)) too long (it needs "
              + "\(Millimetres(atLeast: label.needed ?? 0)) and has \(Millimetres(label.available ?? 0)))")
        }
      }
    }
  }

  private func finding(_ restriction: LegibilityProblem, at keys: [ConfigurationKey], _ fault: String) -> Finding {
    Finding(
      .illegible, at: board.location(ofAny: keys),
      ["restriction": restriction.rawValue, "fault": fault, "remedy": restriction.remedy])
  }
}

extension LabelText {
  /// The description of the label in an error message, as in `its label for 'de', 'Standort teilen',`.
  fileprivate var title: String {
    "its label for \(language.map { "'\($0.rawValue)'" } ?? "all languages"), '\(text)',"
  }

  /// The configuration keys that decide whether the text fits on the label, beginning with the key of the text.
  fileprivate var keys: [String] {
    [language.map { "label.\($0.rawValue)" }, "label", "label_width_mm", "label_height_mm"].compactMap { $0 }
  }
}

/// A length in millimetres, rounded to one decimal.
package struct Millimetres: CustomStringConvertible {
  package let value: Double

  package init(_ length: Double) { value = (length * 10).rounded() / 10 }

  /// Rounds a length in millimetres up to one decimal. An excess of up to 0.0000001 mm counts as a rounding error, and
  /// is not rounded up.
  package init(atLeast length: Double) { value = (length * 10 - 1e-6).rounded(.up) / 10 }

  package var description: String { "\(value) mm" }
}

extension IndicatorProfile {
  /// Returns the configuration keys that can cause a problem of the indicator LED, the most likely key first.
  fileprivate func keys(of restriction: LegibilityProblem) -> [String] {
    switch restriction {
    case .indicatorMissing, .indicatorDark, .labelTooSmall, .labelTruncated: ["line"]
    case .indicatorTooDim: ["brightness"]
    case .indicatorTooShort: onceDuration < .milliseconds(500) ? ["once_ms"] : ["patterns"]
    case .indicatorTooFast: ["patterns"]
    case .indicatorLowContrast: ["colour", "panel_colour"]
    }
  }
}

extension LegibilityProblem {
  /// The problem as the end of a sentence, as in `stays dark`. The subject of the sentence is the indicator or the
  /// button.
  fileprivate var fault: String {
    switch self {
    case .indicatorMissing: "has no indicator"
    case .indicatorDark: "stays dark"
    case .indicatorTooDim: "is too dim"
    case .indicatorTooShort: "is on for too short a time for a single fix"
    case .indicatorTooFast: "blinks too fast, or its light phases are too short"
    case .indicatorLowContrast: "has too little contrast to the panel"
    case .labelTooSmall: "has a label that is too small"
    case .labelTruncated: "has a label that does not fit"
    }
  }
}
