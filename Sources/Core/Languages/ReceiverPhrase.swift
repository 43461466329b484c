/// Texts about the receiver.
package enum ReceiverPhrase: Phrase {
  case receiver, off, absent, starting, acquiring, ready, satellites, source, latest, fresh, old, frames, errors
  case rejectedFields, unknownFields, wakeUps
  case settings, model, asking, pending, applied, partly, refused, unanswered, unansweredSettings, dateCorrected
  case lineFull
  case attack
  case contradiction

  package var texts: Texts {
    switch self {
    case .receiver: Texts(en: "Receiver", de: "Empfänger", ja: "受信機", vi: "Máy thu", zhHans: "接收机")
    case .off:
      Texts(
        en: "switched off until it is needed", de: "ausgeschaltet, bis er gebraucht wird", ja: "必要になるまで電源オフ",
        vi: "tắt cho đến khi cần", zhHans: "关闭，需要时开启")
    case .absent: Texts(en: "absent", de: "nicht vorhanden", ja: "見つかりません", vi: "không có", zhHans: "不存在")
    case .starting:
      Texts(
        en: "no valid data yet", de: "noch keine gültigen Daten", ja: "まだ有効なデータなし", vi: "chưa có dữ liệu hợp lệ",
        zhHans: "尚无有效数据")
    case .acquiring:
      Texts(en: "looks for satellites", de: "sucht Satelliten", ja: "衛星を捕捉中", vi: "đang tìm vệ tinh", zhHans: "正在搜索卫星")
    case .ready: Texts(en: "ready", de: "bereit", ja: "準備完了", vi: "sẵn sàng", zhHans: "就绪")
    case .satellites: Texts(en: "Satellites", de: "Satelliten", ja: "衛星数", vi: "Vệ tinh", zhHans: "卫星数")
    case .source: Texts(en: "Source", de: "Quelle", ja: "入力", vi: "Nguồn", zhHans: "来源")
    case .latest: Texts(en: "Latest fix", de: "Letzter Fix", ja: "最新の測位", vi: "Lần định vị cuối", zhHans: "最近定位")
    case .fresh: Texts(en: "fresh", de: "frisch", ja: "新しい", vi: "mới", zhHans: "最新")
    case .old: Texts(en: "older than 2 s", de: "älter als 2 s", ja: "2 秒より前", vi: "cũ hơn 2 giây", zhHans: "超过 2 秒")
    case .frames: Texts(en: "Frames", de: "Datensätze", ja: "受信文", vi: "Bản tin", zhHans: "数据帧")
    case .errors: Texts(en: "Errors", de: "Fehler", ja: "エラー", vi: "Lỗi", zhHans: "错误")
    case .rejectedFields:
      Texts(en: "Rejected", de: "Abgelehnt", ja: "拒否した受信文", vi: "Bị loại bỏ", zhHans: "被拒绝的语句")
    case .unknownFields:
      Texts(
        en: "Unknown fields", de: "Unlesbare Felder", ja: "読めない項目", vi: "Trường không đọc được", zhHans: "无法读取的字段")
    case .wakeUps: Texts(en: "Wake-ups", de: "Weckrufe", ja: "起動要求", vi: "Lần đánh thức", zhHans: "唤醒次数")
    case .settings: Texts(en: "Settings", de: "Einstellungen", ja: "設定", vi: "Cài đặt", zhHans: "设置")
    case .model: Texts(en: "Model", de: "Modell", ja: "機種", vi: "Kiểu máy", zhHans: "型号")
    case .asking: Texts(en: "being applied", de: "werden angewendet", ja: "設定中", vi: "đang đặt", zhHans: "正在设置")
    case .pending: Texts(en: "not applied yet", de: "noch nicht angewendet", ja: "未設定", vi: "chưa đặt", zhHans: "尚未设置")
    case .applied: Texts(en: "applied", de: "angewendet", ja: "設定済み", vi: "đã đặt", zhHans: "已设置")
    case .partly:
      Texts(en: "partly applied", de: "teilweise angewendet", ja: "一部設定済み", vi: "đã đặt một phần", zhHans: "部分已设置")
    case .refused:
      Texts(
        en: "refused: {value}", de: "abgelehnt: {value}", ja: "拒否：{value}", vi: "bị từ chối: {value}",
        zhHans: "被拒绝：{value}")
    case .unanswered: Texts(en: "not answered", de: "ohne Antwort", ja: "応答なし", vi: "không trả lời", zhHans: "无应答")
    case .unansweredSettings:
      Texts(
        en: "not answered: {value}", de: "ohne Antwort: {value}", ja: "応答なし：{value}", vi: "không trả lời: {value}",
        zhHans: "无应答：{value}")
    case .dateCorrected:
      Texts(
        en: "date corrected by 1024 weeks", de: "Datum um 1024 Wochen korrigiert", ja: "日付を 1024 週補正",
        vi: "ngày được hiệu chỉnh 1024 tuần", zhHans: "日期已修正 1024 周")
    case .lineFull:
      Texts(
        en: "the line is full", de: "die Leitung ist voll", ja: "回線の容量超過", vi: "đường truyền đã đầy", zhHans: "线路已满")
    case .attack:
      Texts(
        en: "the signals may be attacked: {value}", de: "die Signale werden vielleicht angegriffen: {value}",
        ja: "信号が攻撃されている可能性：{value}", vi: "tín hiệu có thể bị tấn công: {value}", zhHans: "信号可能受到攻击：{value}")
    case .contradiction:
      Texts(
        en: "the receiver's data is incomplete or wrong: {value}",
        de: "die Daten des Empfängers sind unvollständig oder falsch: {value}", ja: "受信機のデータが不完全または不正：{value}",
        vi: "dữ liệu của máy thu thiếu hoặc sai: {value}", zhHans: "接收机数据不完整或有误：{value}")
    }
  }
}
