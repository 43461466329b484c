import Languages

/// Why a person could not see that location is in use, or which button they press: no grant is made then.
package enum LegibilityRestriction: String, Hashable, Sendable, CaseIterable {
  case indicatorMissing = "indicator-missing"
  case indicatorDark = "indicator-dark"
  case indicatorTooDim = "indicator-too-dim"
  case indicatorTooShort = "indicator-too-short"
  case indicatorTooFast = "indicator-too-fast"
  case indicatorLowContrast = "indicator-low-contrast"
  case labelTooSmall = "label-too-small"
  case labelTruncated = "label-truncated"

  /// What to do about it.
  package var remedy: String {
    switch self {
    case .indicatorMissing: "configure an [indicator] whose output can be driven"
    case .indicatorDark: "check the LED and the wiring of its sense input"
    case .indicatorTooDim: "raise the indicator's brightness to 0.2 or more"
    case .indicatorTooShort: "raise the indicator's once_ms to 500 or more"
    case .indicatorTooFast: "use patterns of at most 10 blinks per second that are lit for at least 5 % of the time"
    case .indicatorLowContrast: "choose an LED colour with a contrast of at least 3:1 to the panel"
    case .labelTooSmall: "make the button's label at least 3 mm high"
    case .labelTruncated: "shorten the button's label or give it more width"
    }
  }
}

extension IndicatorProfile {
  /// What the declaration alone fails: brightness, time, patterns and contrast.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
    if !(brightness >= 0.2) { found.append(.indicatorTooDim) }
    // A pattern that runs only a few times may end before its time.
    let shown = min(onceDuration, pattern(.inUse).length ?? onceDuration)
    if shown < .milliseconds(500) { found.append(.indicatorTooShort) }
    // The blip for nothing and the two blinks of the lock tell of no location.
    let telling: [Indication] = [.acquiring, .inUse, .background, .prompt]
    if telling.map(pattern).contains(where: { ($0.blinksPerSecond ?? 0) > 10 || $0.duty < 0.05 }) {
      found.append(.indicatorTooFast)
    }
    if colour.contrast(with: panelColour) < 3 { found.append(.indicatorLowContrast) }
    return found
  }
}

extension ButtonProfile {
  /// What the declaration alone fails: the size of the label and whether it fits.
  package var restrictions: [LegibilityRestriction] {
    var found: [LegibilityRestriction] = []
    // Written so that what is no number fails.
    if let labelHeight, !(labelHeight >= 3) { found.append(.labelTooSmall) }
    if let labelWidth, let labelHeight {
      // A capital of a sans-serif face is about 0.7 em high and 0.62 em wide, with its marks; the letters of Chinese,
      // Japanese and Korean fill the em.
      let em = labelHeight / 0.7
      let texts = [label].compactMap { $0 } + translations.values
      let widths = texts.map { text in
        text.reduce(0.0) { $0 + (Columns.width(of: $1) > 1 ? em : 0.62 * em) }
      }
      if !widths.allSatisfy({ $0 <= labelWidth }) { found.append(.labelTruncated) }
    }
    return found
  }
}
