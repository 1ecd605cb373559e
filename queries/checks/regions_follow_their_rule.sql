-- Every region belongs to the class of the first matching rule, or to "no rule".
--
-- Grain:      one row per region of another class
-- Inputs:     regions, region_classes, overhead_rules, overhead_classes
-- Output:     offending rows
-- Parameters: none
-- Source:     the table of rules
-- Assumes:    nothing
SELECT
    regions.region_id,
    region_classes.overhead_id,
    region_classes.rule_id,
    coalesce(overhead_rules.overhead_id, unnamed.overhead_id) AS expected_overhead_id
FROM regions
CROSS JOIN (SELECT * FROM overhead_classes WHERE overhead_subclass = 'no rule') AS unnamed
LEFT JOIN region_classes USING (region_id)
LEFT JOIN overhead_rules USING (rule_id)
WHERE
    region_classes.overhead_id
    IS DISTINCT FROM coalesce(overhead_rules.overhead_id, unnamed.overhead_id)
ORDER BY regions.region_id
