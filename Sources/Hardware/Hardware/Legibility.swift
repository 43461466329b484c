package import Base

/// A reason why a user may not see the indicator (status LED) or may not be able to read the label of a button. While
/// such a reason exists, no app gets permission for the location.
package enum LegibilityProblem: String, Hashable, Sendable, CaseIterable {
  case indicatorMissing = "indicator-missing"
  case indicatorDark = "indicator-dark"
  case indicatorTooDim = "indicator-too-dim"
  case indicatorTooShort = "indicator-too-short"
  case indicatorTooFast = "indicator-too-fast"
  case indicatorLowContrast = "indicator-low-contrast"
  case labelTooSmall = "label-too-small"
  case labelTruncated = "label-truncated"

  package var remedy: String {
    switch self {
    case .indicatorMissing: "configure an [indicator] whose output can be driven"
    case .indicatorDark: "check the LED and the wiring of its sense input"
    case .indicatorTooDim: "raise the indicator's brightness to 0.2 or more"
    case .indicatorTooShort: "raise the indicator's once_ms to 500 or more"
    case .indicatorTooFast: "let the LED blink at most 10 times per second, and light it for at least 5 % of the time"
    case .indicatorLowContrast: "choose an LED colour with a contrast of at least 3:1 to the panel"
    case .labelTooSmall: "make the button's label at least 3 mm high"
    case .labelTruncated: "shorten the button's label or give it more width"
    }
  }
}

extension IndicatorProfile {
  /// The reasons why a user may not see the LED. The reasons follow from the configured brightness, duration, patterns
  /// and colours. The array is empty if the user can see the LED.
  package var restrictions: [LegibilityProblem] {
    var found: [LegibilityProblem] = []
    if !(brightness >= 0.2) { found.append(.indicatorTooDim) }
    // If the pattern ends before `onceDuration` has passed, the indicator is dark for the rest of this time.
    let shown = min(onceDuration, pattern(.inUse).length ?? onceDuration)
    if shown < .milliseconds(500) { found.append(.indicatorTooShort) }
    // Only the patterns of these indications must be legible, because these indications show the use of the location or
    // ask the user.
    let locationIndications: [Indication] = [.acquiring, .inUse, .background, .prompt]
    if locationIndications.map(pattern).contains(where: { ($0.blinksPerSecond ?? 0) > 10 || $0.duty < 0.05 }) {
      found.append(.indicatorTooFast)
    }
    if colour.contrast(with: panelColour) < 3 { found.append(.indicatorLowContrast) }
    return found
  }
}

extension ButtonProfile {
  /// The reasons why a user may not be able to read the label of the button. The reasons follow from the configured
  /// size. The array is empty if the label is legible.
  package var restrictions: [LegibilityProblem] {
    var found: [LegibilityProblem] = []
    // The comparison is negated, so that a size of NaN counts as too small.
    if let labelHeight, !(labelHeight >= 3) { found.append(.labelTooSmall) }
    if labels.contains(where: { $0.excess != nil }) { found.append(.labelTruncated) }
    return found
  }

  /// The texts of the label in the configured languages. The first text also serves all other languages.
  package var labels: [LabelText] {
    let common = label.map { LabelText(translations.isEmpty ? nil : .english, $0, self) }
    return [common].compactMap { $0 }
      + Language.allCases.compactMap { language in translations[language].map { LabelText(language, $0, self) } }
  }
}

/// The label of a button in one language, with the width that the label needs.
package struct LabelText: Hashable, Sendable {
  package let language: Language?
  package let text: String
  /// The width that the text needs, in millimetres; nil if the height of the letters is unknown.
  package let needed: Double?
  /// The width that is available for the text, in millimetres; nil if unknown.
  package let available: Double?

  fileprivate init(_ language: Language?, _ text: String, _ button: ButtonProfile) {
    self.language = language
    self.text = text
    available = button.labelWidth
    // A sans-serif capital letter is about 0.7 em high, and 0.62 em wide with its margins. Chinese, Japanese and Korean
    // characters are 1 em wide.
    needed = button.labelHeight.map { height in
      let em = height / 0.7
      return text.reduce(0.0) { $0 + (Columns.width(of: $1) > 1 ? em : 0.62 * em) }
    }
  }

  /// The difference between the needed and the available width of the text, in millimetres; nil if the text fits, or if
  /// a width is unknown. A difference of up to 0.0000001 mm is a rounding error.
  package var excess: Double? {
    // The comparison is negated, so that an available width of NaN counts as too small.
    guard let needed, let available, !(needed - available <= 1e-7) else { return nil }
    return needed - available
  }
}
