parplan guard plans/resume-other-shape.yaml | grep -c "^def "
