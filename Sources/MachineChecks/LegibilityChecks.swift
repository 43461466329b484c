import BoardProfile
import Hardware

extension Subject {
  /// Why a person could not see the indicator, or read a button's label. No press is granted then.
  var legibilityFindings: [Finding] {
    var found: [Finding] = []
    if let indicator = board.indicator {
      found += indicator.restrictions.map { finding($0, at: .indicator(key: key(of: $0)), "the indicator") }
      if !board.isSimulated, board.wiring.sense == nil {
        found.append(
          Finding(
            .indicatorUnsensed, .note, at: board.place(of: .sense),
            "the indicator has no sense input: a broken LED or wire is not noticed",
            remedy: "wire one as the board's README shows, and add [indicator.sense]"))
      }
    } else {
      found.append(finding(.indicatorMissing, at: .indicator(), "the board"))
    }
    for button in board.buttons {
      found += button.restrictions.map {
        finding($0, at: .button(button.name, key: key(of: $0)), "button '\(button.name)'")
      }
    }
    return found
  }

  private func finding(_ restriction: LegibilityRestriction, at key: ConfigurationKey, _ object: String) -> Finding {
    Finding(
      FindingCode(restriction), .error, at: board.place(of: key),
      "no press will be granted: \(object) \(restriction.fault)",
      remedy: restriction.remedy)
  }

  /// The key that mends it.
  private func key(of restriction: LegibilityRestriction) -> String {
    switch restriction {
    case .indicatorMissing, .indicatorDark: "line"
    case .indicatorTooDim: "brightness"
    case .indicatorTooShort: "once_ms"
    case .indicatorTooFast: "patterns"
    case .indicatorLowContrast: "colour"
    case .labelTooSmall: "label_height_mm"
    case .labelTruncated: "label"
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
