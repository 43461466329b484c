package import Base

/// A reason why a user may not notice the use of the location, or may not know which button to press. The gateway gives
/// no grant while such a reason exists.
package enum LegibilityRestriction: String, Hashable, Sendable, CaseIterable {
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
  /// The restrictions that follow from the declared brightness, duration, patterns and colours of the indicator.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
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
  /// The restrictions that follow from the declared height and width of the button's label.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
    // The comparison is negated, so that a size of NaN counts as too small.
    if let labelHeight, !(labelHeight >= 3) { found.append(.labelTooSmall) }
    if labels.contains(where: { $0.excess != nil }) { found.append(.labelTruncated) }
    return found
  }

  /// The texts of the label: first the text for languages without a translation, then the translations.
  package var labels: [LabelText] {
    let common = label.map { LabelText(translations.isEmpty ? nil : .english, $0, self) }
    return [common].compactMap { $0 }
      + Language.allCases.compactMap { language in translations[language].map { LabelText(language, $0, self) } }
  }
}

/// The label of a button in one language, and the width that the label needs.
package struct LabelText: Hashable, Sendable {
  package let language: Language?
  package let text: String
  /// The width of the text in millimetres; nil if the height of the letters is unknown.
  package let needed: Double?
  /// The width in millimetres that is available for the text; nil if the width is unknown.
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

  /// The number of millimetres by which the text is too wide; nil if the text is not too wide, or if `needed` or
  /// `available` is unknown.
  package var excess: Double? {
    // The comparison is negated, so that an available width of NaN counts as too small.
    guard let needed, let available, !(needed <= available) else { return nil }
    return needed - available
  }
}
