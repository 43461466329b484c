import Configuration
import Hardware
import Languages

extension Subject {
  /// Why a person could not see the indicator, or read a button's label. No press is granted then.
  var legibilityFindings: [Finding] {
    var found: [Finding] = []
    if let indicator = board.indicator {
      found += indicator.restrictions.map { restriction in
        let keys = indicator.keys(of: restriction).map { ConfigurationKey.indicator(key: $0) }
        return finding(restriction, at: keys, "the indicator \(restriction.fault)")
      }
      if !board.isSimulated, board.wiring.sense == nil {
        found.append(
          Finding(
            .indicatorUnsensed, .note, at: board.place(of: .sense),
            "the indicator has no sense input: a broken LED or wire is not noticed",
            remedy: "wire one as the board's README shows, and add [indicator.sense]"))
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
            "button '\(button.name)': \(label.title) is \(Millimetres(atLeast: excess)) too long: it needs "
              + "\(Millimetres(label.needed ?? 0)) and has \(Millimetres(label.available ?? 0))")
        }
      }
    }
  }

  private func finding(_ restriction: LegibilityRestriction, at keys: [ConfigurationKey], _ fault: String) -> Finding {
    Finding(
      FindingCode(restriction), .error, at: board.place(ofAny: keys), "no press will be granted: \(fault)",
      remedy: restriction.remedy)
  }
}

extension LabelText {
  /// As in `its label for 'de', 'Standort teilen',`.
  fileprivate var title: String {
    "its label for \(language.map { "'\($0.rawValue)'" } ?? "all languages"), '\(text)',"
  }

  /// The keys that decide whether the text fits, the text's own first.
  fileprivate var keys: [String] {
    [language.map { "label.\($0.rawValue)" }, "label", "label_width_mm", "label_height_mm"].compactMap { $0 }
  }
}

/// A length as people read it, with one decimal.
package struct Millimetres: CustomStringConvertible {
  private let tenths: Double

  package init(_ length: Double) { tenths = (length * 10).rounded() }

  /// - Parameter length: rounded up, but not for an error of the sum that it comes from.
  package init(atLeast length: Double) { tenths = (length * 10 - 1e-6).rounded(.up) }

  package var description: String { "\(tenths / 10) mm" }
}

extension IndicatorProfile {
  /// The keys that decide whether a restriction holds, the most likely one first.
  fileprivate func keys(of restriction: LegibilityRestriction) -> [String] {
    switch restriction {
    case .indicatorMissing, .indicatorDark, .labelTooSmall, .labelTruncated: ["line"]
    case .indicatorTooDim: ["brightness"]
    case .indicatorTooShort: onceDuration < .milliseconds(500) ? ["once_ms"] : ["patterns"]
    case .indicatorTooFast: ["patterns"]
    case .indicatorLowContrast: ["colour", "panel_colour"]
    }
  }
}

extension LegibilityRestriction {
  /// What is said of the indicator or the button.
  fileprivate var fault: String {
    switch self {
    case .indicatorMissing: "has no indicator"
    case .indicatorDark: "stays dark"
    case .indicatorTooDim: "is too dim"
    case .indicatorTooShort: "is lit too shortly for a one-time fix"
    case .indicatorTooFast: "blinks too fast, or is lit too shortly each time"
    case .indicatorLowContrast: "can hardly be told from the panel"
    case .labelTooSmall: "has a label that is too small"
    case .labelTruncated: "has a label that does not fit"
    }
  }
}
